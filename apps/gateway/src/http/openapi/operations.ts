import type { FastifyInstance } from 'fastify'
import type { Operation } from './contract.ts'

/** What a server offers. Grows until it is ready. */
export type Operations = {
  /** Every operation with a contract, in the order of registration. */
  readonly all: readonly Operation[]
  /** Routes without one, as `GET /path`. */
  readonly unpublished: readonly string[]
}

/** Methods of routes that Fastify adds to others, or that browsers ask by themselves. */
const IMPLIED: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS'])

const byApp = new WeakMap<object, Operations>()

/** What a server offers. {@link collectOperations} was called for it. */
export function operationsOf(app: object): Operations {
  return byApp.get(app) ?? { all: [], unpublished: [] }
}

/** Collects the operations of a server as its routes are registered: to be called before the first of them. */
export function collectOperations(app: Pick<FastifyInstance, 'addHook'>): void {
  const all: Operation[] = []
  const unpublished: string[] = []
  byApp.set(app, { all, unpublished })
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const about = config?.contract
    for (const name of [method].flat()) {
      if (IMPLIED.has(name)) continue
      if (about === undefined) unpublished.push(`${name} ${url}`)
      else all.push({ contract: about, method: name, url, schema: { ...schema } as Operation['schema'] })
    }
  })
}
