import pg from 'pg'
import { openProgress } from './progress.ts'

/** Services that are searched through, and wallets that offer them. */
export const SERVICES = 10_000
const PROVIDERS = 500
const CHUNK = 500
const SYLLABLES =
  'ba be bi bo ca ce co da de di do fa fe fi ga ge go ka ke ki la le li lo ma me mi mo na ne no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi'
const WORDS = 2_000
/** The words that every other service has in it. */
const COMMON = ['api', 'data', 'real', 'time', 'fast', 'global', 'search', 'smart', 'cloud', 'text']

/** Numbers in [0, 1), the same in every run. */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Words of a market: few are in many services and many in few, as in the languages of people.
 *
 * @param random of {@link sequence}
 */
export function vocabularyOf(random: () => number): readonly string[] {
  const syllables = SYLLABLES.split(' ')
  const pick = () => syllables[Math.floor(random() * syllables.length)] ?? ''
  const words = new Set<string>(COMMON)
  while (words.size < WORDS) words.add(Array.from({ length: 2 + Math.floor(random() * 3) }, pick).join(''))
  return [...words]
}

/** A word, the first ones of the vocabulary more often: as often as its place is small (Zipf). */
export function wordOf(vocabulary: readonly string[], random: () => number): string {
  const place = Math.floor(vocabulary.length ** random()) - 1
  return vocabulary[place] ?? 'api'
}

/**
 * Fills the database of a gateway with services that can be called: names of two or three words, a summary of a dozen,
 * a description of thirty, tags, and a rating. Written as rows, since what is measured begins after the registration;
 * what they are found by is made by the database itself. Their target is not probed.
 */
export async function writeServices(databaseUrl: string): Promise<void> {
  const random = sequence(1)
  const vocabulary = vocabularyOf(random)
  const words = (count: number) => Array.from({ length: count }, () => wordOf(vocabulary, random)).join(' ')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const progress = openProgress('Services of the market', SERVICES)
  try {
    await client.query(
      `insert into wallets (address, username) select '0xbe' || lpad(to_hex(n), 38, '0'), 'provider'
       from generate_series(0, $1::int - 1) as n on conflict do nothing`,
      [PROVIDERS],
    )
    for (let first = 0; first < SERVICES; first += CHUNK) {
      const rows = Array.from({ length: CHUNK }, (_, index) => ({
        id: `svc_00000000000000000000${String(first + index).padStart(6, '0')}`,
        owner: `0xbe${((first + index) % PROVIDERS).toString(16).padStart(38, '0')}`,
        tool: `bench-search-${first + index}`,
        name: words(2 + Math.floor(random() * 2)),
        summary: words(12),
        description: words(30),
        tags: [...new Set([wordOf(vocabulary, random), wordOf(vocabulary, random)])],
        price: Math.floor(random() * 100_000),
      }))
      await writeRows(client, rows)
      progress.update(first + CHUNK)
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

type Row = {
  id: string
  owner: string
  tool: string
  name: string
  summary: string
  description: string
  tags: string[]
  price: number
}

async function writeRows(client: pg.Client, rows: readonly Row[]): Promise<void> {
  await client.query('begin')
  await client.query(
    `insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
       price_model, price, method, timeout_ms, request, response)
     select id, owner, tool, name, summary, description, array(select jsonb_array_elements_text(tags)), 'api', 'fixed',
       price, 'POST', 30000, '{}', '{}'
     from jsonb_to_recordset($1) as row (id text, owner text, tool text, name text, summary text, description text,
       tags jsonb, price bigint)`,
    [JSON.stringify(rows)],
  )
  await client.query(
    `insert into tool_names (name, service_id)
     select tool, id from jsonb_to_recordset($1) as row (tool text, id text)`,
    [JSON.stringify(rows)],
  )
  await client.query(
    `insert into service_targets (service_id, url, position, weight, is_healthy, last_probed_at, next_probe_at)
     select id, 'https://' || tool || '.example.com/v1', 1, 1, true, now(), 'infinity'
     from jsonb_to_recordset($1) as row (tool text, id text)`,
    [JSON.stringify(rows)],
  )
  await client.query(
    `insert into service_ratings (service_id, success_rate, latency_ms, is_rated, reliability, quality)
     select id, rate, 20 + 500 * random(), true, rate, round(rate::numeric, 1)
     from (select id, 0.5 + 0.5 * random() as rate from jsonb_to_recordset($1) as row (id text)) as rated`,
    [JSON.stringify(rows)],
  )
  await client.query('commit')
}
