import type { FastifyReply, FastifyRequest } from 'fastify'

/** Returns true if the caller names CSV, and prefers it to JSON or has no preference (RFC 9110, 12.5.1). */
export function acceptsCsv({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const csv = weightOf(headers.accept, 'text/csv')
  return csv > 0 && csv >= weightOf(headers.accept, 'application/json')
}

/** Returns the weight of a type in an Accept header; 0 if it is not named itself. */
function weightOf(accept = '', type: string): number {
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map(range => range.split(';').map(part => part.trim()))
  const [, ...parameters] = ranges.find(([name]) => name === type) ?? ['', 'q=0']
  return Number(parameters.find(part => part.startsWith('q='))?.slice(2) ?? 1) || 0
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
