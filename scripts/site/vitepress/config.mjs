import { readFileSync } from "node:fs";

const sidebar = JSON.parse(readFileSync(new URL("sidebar.json", import.meta.url), "utf8"));

/** The anchor of a heading as GitHub makes it, so that the pages' links lead to the same places here and there. */
const slugify = (heading) =>
    heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-");

/** The settings of VitePress. No address of the site is known, so all links are relative to its root. */
export default {
    title: "flux-minicluster",
    description: "A Flux Framework HPC cluster in Kubernetes with one Pulumi resource",
    lang: "en-GB",
    outDir: "../html",
    cleanUrls: false,
    // The server of an example.
    ignoreDeadLinks: "localhostLinks",
    // Each build is the same for the same pages.
    lastUpdated: false,
    metaChunk: true,
    markdown: {
        // Names in angle brackets are text.
        html: false,
        // The usual themes have too little contrast for WCAG.
        theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
        headers: { level: [2, 3], slugify },
        anchor: { slugify },
        languageAlias: { tsv: "text", hcl: "terraform" },
        config: (md) => {
            // Braces are text, not expressions of Vue.
            const escaped = (tokens, index) => md.utils.escapeHtml(tokens[index].content);
            md.renderer.rules.text = (...token) => escaped(...token).replaceAll("{{", "&#123;&#123;");
            md.renderer.rules.code_inline = (...token) => `<code v-pre>${escaped(...token)}</code>`;
        },
    },
    themeConfig: {
        search: {
            provider: "local",
            options: {
                // Pages about tests have the words of users, and nothing for them.
                _render: (source, env, md) => (/^source\/test\//.test(env.relativePath) ? "" : md.render(source, env)),
            },
        },
        outline: { level: [2, 3] },
        nav: [
            { text: "Start", link: "/start" },
            { text: "Arguments", link: "/arguments" },
            { text: "API", link: "/api/" },
            { text: "Examples", link: "/examples/" },
        ],
        sidebar,
    },
};
