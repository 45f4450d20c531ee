import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet'
import { createLookup, type Lookup } from '../../src/adapters/upstream/upstream-connector.ts'

/** Answers for the n-th query of a name, by record type; the last one repeats. */
export type Meaning = {
  readonly A?: readonly (readonly string[])[]
  readonly AAAA?: readonly (readonly string[])[]
  readonly CNAME?: string
}

/** An attacker's name server on a real socket. Its answers change between queries, and may not be cached. */
export type NameServer = {
  /** Resolves through it, as the gateway does. */
  readonly lookup: Lookup
  /** Sets the answers for a name from now on. */
  mean(name: string, meaning: Meaning): void
  /** Queries so far, as `A name`. */
  readonly asked: readonly string[]
  stop(): Promise<void>
}

/** Starts one on a free port. Does not answer for unknown names. */
export async function startNameServer(): Promise<NameServer> {
  const meanings = new Map<string, Meaning>()
  const asked: string[] = []
  const socket = createSocket('udp4')

  const recordsFor = (name: string, type: 'A' | 'AAAA', turn: number): Answer[] => {
    const meaning = meanings.get(name)
    if (meaning?.CNAME !== undefined) {
      const alias: Answer = { type: 'CNAME', name, ttl: 0, data: meaning.CNAME }
      return [alias, ...recordsFor(meaning.CNAME, type, turn)]
    }
    const turns = meaning?.[type] ?? []
    const addresses = turns[Math.min(turn, turns.length - 1)] ?? []
    return addresses.map(data => ({ type, name, ttl: 0, data }))
  }

  socket.on('message', (message, from) => {
    const { id, questions } = decode(message)
    const [question] = questions ?? []
    if (question === undefined || (question.type !== 'A' && question.type !== 'AAAA')) return
    const name = question.name.toLowerCase()
    if (!meanings.has(name)) return
    const key = `${question.type} ${name}`
    const turn = asked.filter(before => before === key).length
    asked.push(key)
    const answers = recordsFor(name, question.type, turn)
    socket.send(
      encode({ type: 'response', id: id ?? 0, flags: RECURSION_DESIRED, questions: [question], answers }),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  return {
    lookup: createLookup([`127.0.0.1:${socket.address().port}`]),
    mean: (name, meaning) => void meanings.set(name.toLowerCase(), meaning),
    asked,
    async stop() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
