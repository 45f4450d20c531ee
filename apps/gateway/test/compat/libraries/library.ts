import { z } from 'zod'

/** An answer as a library returns it, with the tokens that it counts for all requests together. */
export type Said<Value = string> = { readonly value: Value; readonly input: number; readonly output: number }

/** Base URL of the gateway, credential and models, as a user of a library has them. */
export type Account = {
  readonly url: string
  readonly apiKey: string
  readonly chatModel: string
  readonly messagesModel: string
}

/** Uses of a model by agents, through one library and one API. */
export type Library = {
  /** Returns the whole answer to a prompt. */
  ask(prompt: string): Promise<Said>
  /** Returns the pieces of a streamed answer. */
  stream(prompt: string): Promise<Said<readonly string[]>>
  /** Lets the model call {@link readFare}, and returns what it makes of the result. */
  useTool(prompt: string): Promise<Said>
  /** Asks a second prompt after the answer to the first, and returns both answers. */
  converse(first: string, second: string): Promise<Said<readonly string[]>>
  /** Returns the answer to a prompt as a {@link crossing}. */
  structured(prompt: string): Promise<Said<unknown>>
}

/** Libraries by name, as their users set them up. */
export type Libraries = Readonly<Record<string, (account: Account) => Library>>

/** Schema of structured answers. */
export const crossing = z.object({ port: z.string(), coins: z.number() })

/** A tool of the caller. */
export const readFare = {
  name: 'read_fare',
  description: 'Reads the fare of a crossing.',
  parameters: z.object({ port: z.string() }),
  run: ({ port }: { port: string }) => `${port} costs 17 coins`,
}

/** Returns all that comes. */
export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Returns a sum of usage. */
export function sumOf(counts: readonly { readonly input: number; readonly output: number }[]) {
  return {
    input: counts.reduce((sum, { input }) => sum + input, 0),
    output: counts.reduce((sum, { output }) => sum + output, 0),
  }
}
