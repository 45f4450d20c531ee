import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '@farebox/wire/errors'
import { type PageText, PLACEHOLDERS } from '@farebox/wire/page-texts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../ports.ts'
import { escapeHtml } from './escape-html.ts'
import { limitPublic } from './limits/shared-rate-limit.ts'

/** Prerendered pages of a service: its callers' and its provider's. Both are filled with public texts only. */
export const SERVICE_PAGES: readonly string[] = ['pages/service.html', 'pages/provider/id.html']
const PATH = /^\/(?:services|provider)\/([\w-]+)(?:\?|$)/

/** Returns the texts for the page of a service by its id or agentToolName; null if there is none. */
export type ReadServiceTexts = (reference: string) => Promise<Readonly<Record<PageText, string>> | null>

/**
 * Returns a function that fills one of the {@link SERVICE_PAGES} with the texts of the service that a request names, for
 * search engines, previews of links, and readers whose browser still loads the code. It returns null if the texts cannot
 * be read: the code reads the service itself, and shows the error.
 *
 * @param options.directory of the prerendered pages
 */
export function createServicePage(
  deps: Pick<Deps, 'config' | 'clientRates' | 'clock' | 'secretBox'>,
  options: { directory: string; readTexts: ReadServiceTexts },
) {
  const quota = deps.config.SEARCHES_PER_MINUTE
  const limit = limitPublic(deps, { name: 'service-pages', quota, windowSeconds: 60 })
  return async (request: FastifyRequest, reply: FastifyReply, file: string): Promise<string | null> => {
    const reference = PATH.exec(request.url)?.[1]
    if (reference === undefined) return null
    try {
      await limit(request, reply)
      const texts = await options.readTexts(reference)
      if (texts === null) return null
      const page = await readFile(join(options.directory, file), 'utf8')
      return page.replace(PLACEHOLDERS, (_, name: PageText) => escapeHtml(texts[name]))
    } catch (error) {
      if (error instanceof GatewayError) return null
      throw error
    }
  }
}
