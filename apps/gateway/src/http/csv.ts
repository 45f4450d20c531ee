import type { FastifyReply, FastifyRequest } from 'fastify'

/** Whether the caller asks for CSV rather than JSON. */
export function acceptsCsv(request: FastifyRequest): boolean {
  return /\btext\/csv\b/i.test(request.headers.accept ?? '')
}

/**
 * Sends flat records as CSV (RFC 4180), one line a record under a line of names.
 * A text that a spreadsheet would run as a formula is written with a leading apostrophe.
 */
export function sendCsv(
  reply: FastifyReply,
  records: readonly Readonly<Record<string, unknown>>[],
): FastifyReply {
  const names = Object.keys(records[0] ?? {})
  const lines = [names, ...records.map(record => names.map(name => record[name]))]
  const text = lines.map(cells => `${cells.map(cell).join(',')}\r\n`).join('')
  return reply.header('content-type', 'text/csv; charset=utf-8').send(text)
}

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
