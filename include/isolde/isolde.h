// isolde/isolde.h: all of the library's public headers.
#pragma once

#include "isolde/check.h"
#include "isolde/history.h"
#include "isolde/verdict.h"
