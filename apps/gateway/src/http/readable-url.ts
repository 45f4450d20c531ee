import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Paths of programs and files: never answered with a page. */
const OF_PROGRAMS =
  /^\/(?:api|v1|dev|mcp|x402|metrics|oauth|marketplace|console|assets|\.well-known)(?:\/|$)|\.[a-z\d]+$/

/**
 * Returns the URL of a request. Where the router would refuse an escape that it cannot decode, such as `%E0%A4%A`, people
 * get the page of unknown paths: `%` stands for itself there.
 */
export function readableUrl(request: IncomingMessage): string {
  const { url = '/', method = '', headers } = request
  const path = pathOf({ url })
  if (!path.includes('%') || !isForPeople({ url, method, headers })) return url
  try {
    decodeURI(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Returns true if people get a page at an unknown path; programs get JSON. */
export function isForPeople(request: Pick<FastifyRequest, 'url' | 'method' | 'headers'>): boolean {
  const { method, headers } = request
  const isReading = method === 'GET' || method === 'HEAD'
  return isReading && (headers.accept ?? '').includes('text/html') && !OF_PROGRAMS.test(pathOf(request))
}

/** Returns the path of a request, without its query. */
export const pathOf = ({ url }: Pick<FastifyRequest, 'url'>): string => url.split('?')[0] ?? ''
