import type { FastifyInstance } from 'fastify'
import type { Operation } from './contract.ts'

/** Operations of a server. Grows until it is ready. */
export type Operations = {
  /** All operations with a contract, in the order of registration. */
  readonly all: readonly Operation[]
  /** Routes without a contract, as `GET /path`. */
  readonly unpublished: readonly string[]
}

/** Methods that Fastify adds to routes, or that browsers use by themselves. */
const IMPLIED: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS'])

const byApp = new WeakMap<object, Operations>()

/** Returns the operations of a server. Requires {@link collectOperations}. */
export function operationsOf(app: object): Operations {
  return byApp.get(app) ?? { all: [], unpublished: [] }
}

/** Collects the operations of a server as its routes are registered. Call it before the first route. */
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
