#!/usr/bin/env node
// kubectl completes the words of a plugin by the program kubectl_complete-NAME.
process.argv.splice(2, 0, "__complete");
void import("./main.js");
