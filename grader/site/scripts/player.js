// Play, step and back for a slider that counts steps. It stops at the end, when the page is left, and when it is touched.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const panel of anatomy.panels.values()) {
    for (const holder of panel.place.querySelectorAll(".control.player")) {
      const input = holder.querySelector("input");
      const play = holder.querySelector('[data-do="play"]');
      let timer = 0;
      const go = (by) => {
        const before = input.value;
        input.value = Number(before) + by;
        if (input.value !== before) panel.update();
        return input.value !== before;
      };
      const stop = () => {
        clearTimeout(timer);
        timer = 0;
        play.setAttribute("aria-pressed", "false");
        play.textContent = "Play";
      };
      const beat = () => {
        if (!go(1)) return stop();
        timer = setTimeout(beat, Number(holder.querySelector('[data-do="speed"]').value));
      };
      play.addEventListener("click", () => {
        if (timer) return stop();
        if (input.value === input.max) {
          input.value = input.min;
          panel.update();
        }
        play.setAttribute("aria-pressed", "true");
        play.textContent = "Stop";
        timer = setTimeout(beat, 200);
      });
      holder.querySelector('[data-do="step"]').addEventListener("click", () => { stop(); go(1); });
      holder.querySelector('[data-do="back"]').addEventListener("click", () => { stop(); go(-1); });
      input.addEventListener("input", stop);
      document.addEventListener("visibilitychange", stop);
    }
  }
});
