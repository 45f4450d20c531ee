import type { App } from '../app.ts'
import type { Operation } from './contract.ts'

/**
 * Collects the operations of a server as its routes are registered, in that order.
 *
 * @returns the list, which grows until the server is ready
 */
export function collectOperations(app: App): readonly Operation[] {
  const operations: Operation[] = []
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const about = config?.contract
    if (about === undefined) return
    for (const name of [method].flat()) {
      if (name === 'HEAD') continue
      operations.push({ contract: about, method: name, url, schema: { ...schema } as Operation['schema'] })
    }
  })
  return operations
}
