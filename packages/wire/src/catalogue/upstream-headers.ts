import { z } from 'zod'
import { atMost } from '../common.ts'

const UPSTREAM_HEADERS_MAX = 32
const HEADER_NAME_LENGTH_MAX = 128
const HEADER_VALUE_LENGTH_MAX = 4_096
/** Names and values together, which many servers limit to 8 KiB. */
const HEADERS_LENGTH_MAX = 8_192
/** A header field name (RFC 9110, 5.1): a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** A header field value (RFC 9110, 5.5): ASCII, so that its encoding is unambiguous, without line breaks. */
const HEADER_VALUE = /^[\x20-\x7e\t]*$/
/** Headers of the connection (RFC 9110, 7.6.1) and headers that the gateway sets. */
export const GATEWAY_HEADERS: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
   expect host content-length content-type content-encoding content-digest accept-encoding idempotency-key
   traceparent tracestate signature signature-input`.split(/\s+/),
)

const headers = z
  .record(z.string(), z.string().max(HEADER_VALUE_LENGTH_MAX).meta({ pattern: HEADER_VALUE.source }))
  .transform((input, context) => {
    const issue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message, input: undefined })
    const headers: Record<string, string> = {}
    for (const [given, value] of Object.entries(input)) {
      const name = given.toLowerCase()
      if (!HEADER_NAME.test(given) || given.length > HEADER_NAME_LENGTH_MAX)
        issue(given, 'Must be a valid header name.')
      else if (GATEWAY_HEADERS.has(name) || name.startsWith('farebox-'))
        issue(given, 'Is set by the gateway.')
      else if (!HEADER_VALUE.test(value)) issue(given, 'Must be printable ASCII on one line.')
      else if (Object.hasOwn(headers, name)) issue(given, 'Must not be repeated.')
      else headers[name] = value
    }
    if (Object.entries(input).flat().join('').length > HEADERS_LENGTH_MAX)
      issue('', `Names and values must have at most ${HEADERS_LENGTH_MAX} characters together.`)
    return headers
  })

/** Headers that the gateway adds to each request to the targets of a service; names in lower case. */
export const upstreamHeaders = atMost(
  UPSTREAM_HEADERS_MAX,
  headers,
  `Must have at most ${UPSTREAM_HEADERS_MAX} headers.`,
)
