import type { FastifyReply, FastifyRequest } from 'fastify'

/** Returns true if the caller requests CSV rather than JSON. */
export function acceptsCsv(request: FastifyRequest): boolean {
  return /\btext\/csv\b/i.test(request.headers.accept ?? '')
}

/**
 * Sends flat records as CSV (RFC 4180), one line per record after a header line; only the header if there are none.
 * Text that a spreadsheet would evaluate as a formula gets a leading apostrophe.
 */
export function sendCsv<Name extends string>(
  reply: FastifyReply,
  names: readonly Name[],
  records: readonly Readonly<Record<Name, unknown>>[],
): FastifyReply {
  const lines: (readonly unknown[])[] = [names, ...records.map(record => names.map(name => record[name]))]
  const text = lines.map(cells => `${cells.map(cell).join(',')}\r\n`).join('')
  return reply.header('content-type', 'text/csv; charset=utf-8').send(text)
}

/**
 * Sets a `Link` header with the next page (RFC 8288), as a table has no room for its cursor. Keeps the query of the
 * request except the cursor.
 */
export function linkNext(request: FastifyRequest, reply: FastifyReply, nextCursor: string | null): void {
  if (nextCursor === null) return
  const [path = '', query] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', nextCursor)
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}

/**
 * Place before a formula: also behind a semicolon, tab or line break, where some spreadsheets begin another cell. Those for
 * East Asian languages take signs of full width.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  const safe = isNumber ? text : text.replaceAll(FORMULA, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
