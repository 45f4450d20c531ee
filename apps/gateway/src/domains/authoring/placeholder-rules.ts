import { isSecretName } from './infer-schema-rules.ts'

/** Ways to write that something is to be put in: `{{name}}`, `{name}`, `${name}`, `$name`, `<name>`, `YOUR_NAME`. */
const FORMS = [
  String.raw`\{\{\s{0,9}(?<handlebars>[^{}\s][^{}]{0,99}?)\s{0,9}\}\}`,
  String.raw`\$\{(?<braced>[A-Za-z_]\w{0,63})(?:[^\w{}][^{}]{0,99})?\}`,
  String.raw`\$(?<variable>[A-Za-z_]\w*)`,
  String.raw`\{(?<single>[A-Za-z_][\w.-]*)\}`,
  String.raw`<(?<angle>\w[\w .-]{0,99})>`,
  String.raw`\b(?<your>YOUR[_-]\w+)`,
].join('|')
const ANYWHERE = new RegExp(FORMS, 'gi')
const WHOLE = new RegExp(`^(?:${FORMS})$`, 'i')
const NAME_LENGTH_MAX = 64

/** Returns true if a whole text is a placeholder. */
export const isPlaceholder = (text: string): boolean => WHOLE.test(text.trim())

/** Returns true if a text contains a placeholder, or its dots or crosses. */
export function holdsPlaceholder(text: string): boolean {
  return text.search(ANYWHERE) !== -1 || /\bxxx+\b/i.test(text)
}

/** A path of which placeholders became those of a target. */
export type PathTemplate = {
  /** With `{name}` for each placeholder that callers fill. */
  readonly path: string
  readonly names: readonly string[]
  /** Placeholders for the provider's own secrets, as they were written. */
  readonly secrets: readonly string[]
}

/**
 * Reads the placeholders in the path of a URL, `:name` among them. Callers fill them, unless the name is that of a
 * secret: the provider puts that in.
 */
export function readPathTemplate(written: string): PathTemplate {
  const names: string[] = []
  const secrets: string[] = []
  const decoded = written
    .replaceAll(/%7B/gi, '{')
    .replaceAll(/%7D/gi, '}')
    .replaceAll(/%3C/gi, '<')
    .replaceAll(/%3E/gi, '>')
  const fill = (match: string, given: string): string => {
    if (isSecretName(given)) {
      secrets.push(match)
      return encodeURIComponent(match)
    }
    const name = placeholderName(given)
    if (!names.includes(name)) names.push(name)
    return `{${name}}`
  }
  const path = decoded
    .replaceAll(ANYWHERE, (...match) => {
      const groups = match.at(-1) as Record<string, string | undefined>
      const given = Object.values(groups).find(each => each !== undefined) ?? ''
      return fill(String(match[0]), given)
    })
    .replaceAll(/(?<=\/):([A-Za-z_]\w*)(?=\/|$)/g, (match, name: string) => fill(match, name))
  return { path, names, secrets }
}

/** Returns a name that a placeholder of a target may have. */
export function placeholderName(given: string): string {
  const name = given
    .replace(/^YOUR[_-]/i, '')
    .replaceAll(/[^\w-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, NAME_LENGTH_MAX - 1)
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`
}

/** Returns a value without the members that are placeholders; undefined if it is one. */
export function withoutPlaceholders(value: unknown): unknown {
  if (typeof value === 'string') return isPlaceholder(value) ? undefined : value
  if (Array.isArray(value)) return value.map(withoutPlaceholders).filter(item => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutPlaceholders(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}
