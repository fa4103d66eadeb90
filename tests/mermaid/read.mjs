// Reads a JSON list of diagrams on standard input with the real Mermaid parser and prints,
// for each, what it understood, or its error. No browser: the parser needs a document only
// to clean HTML, and no text of ours holds a `<`.

const unused = class {};
Object.assign(globalThis, {
  addEventListener() {},
  document: {
    nodeType: 9,
    currentScript: null,
    implementation: { createHTMLDocument() {} },
    addEventListener() {},
    createDocumentFragment() {},
    createElement: () => ({}),
    createNodeIterator() {},
    getElementsByTagName: () => [],
    importNode() {},
    querySelectorAll: () => [],
  },
  DOMParser: unused,
  DocumentFragment: unused,
  Element: class {
    get childNodes() { return null; }
    get cloneNode() { return null; }
    get nextSibling() { return null; }
    get parentNode() { return null; }
    get remove() { return null; }
  },
  HTMLFormElement: unused,
  HTMLTemplateElement: unused,
  MozNamedAttrMap: unused,
  NamedNodeMap: unused,
  Node: unused,
  NodeFilter: {},
  window: globalThis,
});
const { default: mermaid } = await import("./node_modules/mermaid/dist/mermaid.esm.min.mjs");

// How Mermaid carries an entity from its preprocessor to its renderer.
const shown = (text) =>
  (text ?? "")
    .replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(code))
    .replace(/ﬂ°(\w+)¶ß/g, (_, name) => ({ quot: '"', lt: "<", gt: ">" })[name] ?? `&${name};`);

const understood = ({ db }) => ({
  nodes: Object.fromEntries([...db.getVertices()].map(([id, node]) => [id, shown(node.text)])),
  edges: db.getEdges().map((edge) => [edge.start, shown(edge.text), edge.end]),
  groups: db.getSubGraphs().map((group) => [group.id, shown(group.title), group.nodes]),
});

let input = "";
for await (const chunk of process.stdin) input += chunk;
await mermaid.parse("flowchart LR\n"); // registers the kinds of diagram
mermaid.initialize({ maxEdges: 1_000_000, maxTextSize: 100_000_000 });
const answers = [];
for (const diagram of JSON.parse(input)) {
  try {
    answers.push(understood(await mermaid.mermaidAPI.getDiagramFromText(diagram)));
  } catch (error) {
    answers.push({ error: String(error.message) });
  }
}
console.log(JSON.stringify(answers));
