// The used parts of the chart library, and the document that it needs outside of a browser. The build makes one file of them.
export { areaY, axisX, axisY, gridX, lineY, plot, rect, ruleY } from "@observablehq/plot";
export { DOMImplementation, XMLSerializer } from "@xmldom/xmldom";
