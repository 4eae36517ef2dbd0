import { html, Html, legible } from "./html";
import { DOMImplementation, plot, XMLSerializer } from "./plotNode";

/** A colour of the style sheet, and what it means. */
export interface Key {
    /** Name of the variable, without dashes. */
    readonly colour: string;
    readonly meaning: string;
}

/** A picture with its title, its legend and a sentence that says what it shows. */
export interface Figure {
    readonly id: string;
    readonly title: string;
    readonly summary: string;
    readonly keys?: readonly Key[];
    readonly options: Parameters<typeof plot>[0];
}

/** Width of all pictures in pixels. */
export const WIDTH = 1000;

/** Draws a figure. */
export function figure({ id, keys = [], options, summary, title }: Figure): Html {
    return html`<figure aria-labelledby="${id}">
<h3 id="${id}">${title}</h3>
<p>${summary}</p>
${keys.length === 0 ? undefined : html`<ul class="legend">${keys.map(key)}</ul>`}
<div class="plot" role="img" tabindex="0" aria-label="${title}. ${summary}">${svg(options)}</div>
</figure>
`;
}

function key({ colour, meaning }: Key): Html {
    const square = html`<rect width="14" height="14" rx="2" fill="var(--${colour})"/>`;
    return html`<li><svg width="14" height="14" aria-hidden="true">${square}</svg> ${meaning}</li>`;
}

/**
 * The picture as a part of HTML. Its own style sheet is left out: that of the page replaces it. So are the labels of its
 * groups, which ARIA doesn't allow without a role: the picture as a whole has a label.
 */
function svg(options: Figure["options"]): Html {
    const document = new DOMImplementation().createDocument("http://www.w3.org/1999/xhtml", "html", null);
    const drawn = plot({ width: WIDTH, className: "chart", ...options, document });
    const text = new XMLSerializer().serializeToString(drawn);
    return new Html(text.replace(/<style>[^]*?<\/style>/, "").replaceAll(/<g aria-label="[^"]*"/g, "<g"));
}

/** The text of a bar that a pointer shows. */
export function hint(...lines: readonly string[]): string {
    return legible(lines.filter(Boolean).join("\n"));
}

export function fill({ colour }: Key): string {
    return `var(--${colour})`;
}
