// Reads a page a line, as JSON text, and answers each with a line: the problems that html-validate finds in it.
"use strict";

const readline = require("node:readline");
const { HtmlValidate, StaticConfigLoader } = require("html-validate");

const validator = (...presets) => new HtmlValidate(new StaticConfigLoader({
  root: true,
  extends: presets,
  rules: {
    "doctype-style": ["error", { style: "lowercase" }], // as the HTML standard itself writes it
    "aria-label-misuse": ["error", { allowAnyNamable: true }], // a list or a formula may have a name, as ARIA has it
    "no-trailing-whitespace": "off", // of the look of the source, which nobody reads
    "long-title": "off", // of search engines
    "require-sri": "off", // nothing is fetched, which another test proves
  },
}));
const pages = validator("html-validate:recommended", "html-validate:document");
const pieces = validator("html-validate:recommended");

const told = (message) => `${message.line}:${message.column} ${message.ruleId}: ${message.message}`;

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const text = JSON.parse(line);
    const report = await (/^\s*<!doctype/i.test(text) ? pages : pieces).validateString(text);
    const problems = report.results.flatMap((result) => result.messages.map(told));
    process.stdout.write(`${JSON.stringify(problems)}\n`);
  }
})();
