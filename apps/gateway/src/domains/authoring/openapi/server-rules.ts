import { isObject } from '@farebox/wire/common'
import { type Members, OpenApiError } from './document-rules.ts'

/**
 * Returns the URL of the server that calls go to, without a trailing slash.
 *
 * @param lists     `servers` of the operation, the path and the document, the nearest first
 * @param serverUrl what the provider says instead
 * @throws OpenApiError with path `serverUrl`, if there is no absolute one
 */
export function serverOf(lists: readonly unknown[], serverUrl: string | undefined): string {
  const list = lists.find(each => Array.isArray(each) && each.length > 0)
  const [first] = Array.isArray(list) ? list : []
  const url = serverUrl ?? (isObject(first) ? filled(first) : '')
  const parsed = URL.parse(url)
  const isTaken = parsed !== null && /^https?:$/.test(parsed.protocol) && !/[{}]/.test(url)
  if (!isTaken) {
    const message = 'The document has no server with an absolute http or https URL: enter one here.'
    throw new OpenApiError(message, 'serverUrl')
  }
  return parsed.origin + parsed.pathname.replace(/\/+$/, '')
}

/** Returns the URL of a server with the defaults of its variables. */
function filled({ url, variables }: Members): string {
  if (typeof url !== 'string') return ''
  return url.replaceAll(/\{([^{}]{1,100})\}/g, (written, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : written
  })
}
