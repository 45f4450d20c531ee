import type { Client } from './client.ts'

const SUGGESTIONS_MAX = 3
/** Maximum length of a search text. */
const TEXT_LENGTH_MAX = 200

/**
 * Returns the names of services like one that does not exist, by the gateway's search, the closest first: of the whole
 * name, else of its longest word.
 *
 * @example
 * await suggestServices(api, 'sampel-llm') // ['sample-llm']
 */
export async function suggestServices(api: Pick<Client, 'searchMarket'>, name: string): Promise<string[]> {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 1)
  for (const q of new Set([words.join(' '), ...longest])) {
    if (q === '') continue
    const { services } = await api.searchMarket({
      query: { q: q.slice(0, TEXT_LENGTH_MAX), pageSize: SUGGESTIONS_MAX },
    })
    if (services.length > 0) return services.map(({ agentToolName }) => agentToolName)
  }
  return []
}
