const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** Formats a JSON value as a Python literal: a text of JSON is one of Python, too. */
export function pythonOf(value: unknown): string {
  const json = JSON.stringify(value, null, 4)
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|true|false|null/g, token => PYTHON[token] ?? token)
}
