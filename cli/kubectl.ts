#!/usr/bin/env node
import { setProgramName } from "./definition/programName";

// kubectl finds this program by its name on PATH, kubectl-minicluster.
setProgramName("kubectl minicluster");
void import("./main.js");
