import type { FastifyRequest } from 'fastify'

/** Returns true if a client accepts answers in gzip (RFC 9110, 12.5.3). */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(String(headers['accept-encoding'] ?? ''))
}
