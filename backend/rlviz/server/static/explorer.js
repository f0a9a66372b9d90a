"use strict";
// Shows openapi.json, an entry an operation, each with a form that calls it. Text only ever enters by textContent.

const METHODS = ["get", "post", "put", "patch", "delete"];
const SHOWN_CHARACTERS = 20_000;

/** "/api", or what a reverse proxy makes of it. */
const API = new URL(".", window.location.href).pathname.replace(/\/$/, "");

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function resolve(schema, document) {
  if (!schema?.$ref) return schema ?? {};
  return schema.$ref.slice(2).split("/").reduce((part, name) => part[name], document);
}

/** A body to begin with: the fields without which it would be refused. */
function example(schema, document) {
  const known = resolve(schema.anyOf?.[0] ?? schema, document);
  const required = new Set(known.required ?? []);
  const fields = Object.entries(known.properties ?? {}).filter(([name]) => required.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, field.type === "string" ? "" : null]));
}

function parameterField(parameter) {
  const { name, required, description = "", schema = {} } = parameter;
  const initial = schema.default === undefined || schema.default === null ? "" : String(schema.default);
  const input = element("input", { name, required: Boolean(required), placeholder: initial });
  const label = element("span", {}, element("code", { textContent: name }), required ? " (required)" : "");
  return { parameter, input, node: element("label", {}, label, input, element("small", { textContent: description })) };
}

function address(path, fields) {
  let filled = path;
  const query = new URLSearchParams();
  for (const { parameter, input } of fields) {
    if (input.value === "") continue;
    if (parameter.in === "path") {
      const value = input.value.split("/").map(encodeURIComponent).join("/");
      filled = filled.replace(`{${parameter.name}}`, value);
    } else if (parameter.in === "query") query.append(parameter.name, input.value);
  }
  return `${API}${filled}${query.size ? `?${query}` : ""}`;
}

async function call(method, url, headers, body, output) {
  output.textContent = "…";
  try {
    const response = await fetch(url, { method, headers, body });
    const type = response.headers.get("content-type") ?? "";
    const head = `${response.status} ${response.statusText}\n${type}\n\n`;
    if (type.startsWith("text/event-stream")) {
      response.body.cancel();
      output.textContent = `${head}(a stream: follow it with curl -N)`;
      return;
    }
    const text = await response.text();
    const shown = type.includes("json") && !type.includes("ndjson") && text ? JSON.stringify(JSON.parse(text), null, 2) : text;
    output.textContent = head + shown.slice(0, SHOWN_CHARACTERS) + (shown.length > SHOWN_CHARACTERS ? "\n…" : "");
  } catch (error) {
    output.textContent = `No answer: ${error.message}`;
  }
}

function operationForm(path, method, operation, document_) {
  const fields = (operation.parameters ?? []).map(parameterField);
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  const body = schema && element("textarea", { value: JSON.stringify(example(schema, document_), null, 2) });
  const output = element("pre", { hidden: true });
  output.setAttribute("aria-live", "polite");
  const form = element("form", {}, ...fields.map((field) => field.node));
  if (body) form.append(element("label", {}, element("span", { textContent: "Body (JSON)" }), body));
  form.append(element("button", { textContent: `Send ${method.toUpperCase()}` }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    output.hidden = false;
    const headers = Object.fromEntries(
      fields.filter(({ parameter, input }) => parameter.in === "header" && input.value).map(({ parameter, input }) => [parameter.name, input.value]),
    );
    if (body) headers["Content-Type"] = "application/json";
    void call(method.toUpperCase(), address(path, fields), headers, body?.value, output);
  });
  const answers = Object.entries(operation.responses ?? {}).map(([status, { description }]) =>
    element("li", {}, element("code", { textContent: status }), ` ${description ?? ""}`),
  );
  return element("div", { className: "operation" }, element("p", { textContent: operation.description ?? "" }), form,
    element("ul", {}, ...answers), output);
}

function operationEntry(path, method, operation, document_) {
  const summary = element("summary", {}, element("b", { textContent: method.toUpperCase() }),
    element("span", { className: "path", textContent: path }), element("span", { textContent: operation.summary ?? "" }));
  const details = element("details", {}, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(operationForm(path, method, operation, document_));
  });
  return details;
}

async function show() {
  const main = document.getElementById("operations");
  const description = await (await fetch("openapi.json")).json();
  const groups = new Map();
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((name) => name in item)) {
      const tag = item[method].tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationEntry(path, method, item[method], description));
    }
  }
  main.replaceChildren(...[...groups].map(([tag, entries]) => element("section", {}, element("h2", { textContent: tag }), ...entries)));
}

show().catch((error) => {
  document.getElementById("operations").textContent = `The description could not be loaded: ${error.message}`;
});
