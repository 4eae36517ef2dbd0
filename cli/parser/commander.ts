/* The parts of commander that the command line uses. The build makes one file of them and their licence. */
export { Command, Option } from "commander";
