import { CurlError } from './curl-rules.ts'
import type { Findings } from './draft-findings-rules.ts'
import { isSecretName } from './infer-schema-rules.ts'
import { holdsPlaceholder, isPlaceholder, placeholderName, readPathTemplate } from './placeholder-rules.ts'

/** Matches scheme, authority, path and query of a URL as written. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?/i
const TARGET = 'invoke.targets.0.url'

/** The URL of a command. */
export type DraftUrl = {
  /** Its placeholders are replaced by `placeholder.name`, so that it can be parsed. */
  readonly url: URL
  readonly names: readonly string[]
}

/**
 * Parses the URL of a command.
 *
 * @throws CurlError for one that no service can have
 */
export function readUrl(text: string, { warnings, unsupported, looksSecret }: Findings): DraftUrl {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const [, scheme = '', authority = '', written = '', query = ''] =
    PARTS.exec(hasScheme ? text : `https://${text}`) ?? []
  if (hasScheme && !/^https?:/i.test(scheme)) {
    throw new CurlError(`A service must use http or https, not ${scheme.slice(0, 20)}`, 'url')
  }
  if (holdsPlaceholder(authority)) {
    throw new CurlError('The host is a placeholder: give the host of your API.', 'url')
  }
  const isPattern = /\{[^{},]*,|\[[^\][-]*-/.test(written)
  const { path, names, secrets } = isPattern
    ? { path: written, names: [], secrets: [] }
    : readPathTemplate(written)
  const parsed = URL.parse(
    scheme + authority + path.replaceAll(/\{([\w-]+)\}/g, (_, name) => markOf(name)) + query,
  )
  // Callers see the name of the host.
  if (parsed === null || parsed.hostname === '' || looksSecret(parsed.hostname)) {
    throw new CurlError('The URL of the command cannot be that of a service.', 'url')
  }
  if (!hasScheme) warnings.push({ path: TARGET, message: 'The URL had no scheme; https was assumed.' })
  if (isPattern) {
    unsupported.push({ option: 'url', message: 'Patterns in URLs ({a,b}, [1-9]) are not expanded.' })
  }
  for (const secret of secrets) {
    warnings.push({
      path: TARGET,
      message: `${secret} is a placeholder for your key: replace it before registering.`,
    })
  }
  return { url: parsed, names }
}

const markOf = (name: string): string => `placeholder.${name}.`

/** Returns the target URL with its placeholders. */
export function targetOf({ url, names }: DraftUrl, renamed: ReadonlyMap<string, string>): string {
  const href = names.reduce(
    (text, name) => text.replaceAll(markOf(name), `{${renamed.get(name) ?? name}}`),
    url.origin + url.pathname.replaceAll('{', '%7B').replaceAll('}', '%7D'),
  )
  return href + url.search.replaceAll('{', '%7B').replaceAll('}', '%7D')
}

/** Query parameters for callers: name and value; null for a placeholder. */
export type DraftQuery = readonly (readonly [string, string | null])[]

/**
 * Moves query parameters to the callers. Secrets stay in the target, as do the values of calls with a body, unless they
 * are placeholders.
 */
export function takeQuery(url: URL, isBodiless: boolean, { warnings, looksSecret }: Findings): DraftQuery {
  const taken: [string, string | null][] = []
  const kept = new URLSearchParams()
  for (const [name, value] of url.searchParams) {
    const isSecret = isSecretName(name) || looksSecret(name) || looksSecret(value)
    const isEmpty = isPlaceholder(value)
    if (!isSecret && (isBodiless || isEmpty)) {
      taken.push([name, isEmpty ? null : value])
      continue
    }
    kept.append(name, value)
    if (!isSecret) continue
    const message = isEmpty
      ? `The parameter ${name} is a placeholder for your key: replace it before registering.`
      : `The parameter ${name} looks like a secret. It stays in the target URL, which only you see.`
    warnings.push({ path: TARGET, message })
  }
  url.search = kept.toString()
  return taken
}

/** Returns path names that are used elsewhere too, each with another name: arguments of tools are flat. */
export function renamedPath(
  names: readonly string[],
  others: readonly string[],
): ReadonlyMap<string, string> {
  const taken = new Set([...names, ...others])
  const renamed = new Map<string, string>()
  for (const name of names.filter(each => others.includes(each))) {
    let next = placeholderName(`path_${name}`)
    while (taken.has(next)) next = placeholderName(`path_${next}`)
    taken.add(next)
    renamed.set(name, next)
  }
  return renamed
}
