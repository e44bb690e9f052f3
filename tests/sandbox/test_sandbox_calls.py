"""What a worker answers to a call of code that means no harm."""

import math

import pytest
import torch
from conftest import Ask, OpenWorker

from grader.sandbox import Call, Limits, NotAValue, Opaque, Raised, Remote, Returned
