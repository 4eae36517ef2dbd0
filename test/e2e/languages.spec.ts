import { describeProgram } from "./support/languageProgram";

/* Go, whose programs compile for long, is in test/faults/languages.spec.ts. */
describeProgram("python");
describeProgram("yaml");
