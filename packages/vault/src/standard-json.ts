/** Sources and settings of FareboxVault, as its compiler and block explorers read them. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Settings of the compiler. */
export const compilerSettings = {
  // Fixed, so that a newer compiler does not start to use opcodes that a chain we run on lacks.
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
} as const

/** Name of the vault in {@link vaultStandardJson}, as explorers ask for it. */
export const vaultContractName = 'contracts/FareboxVault.sol:FareboxVault'

const IMPORT = /^import\s[^;]*?["']([^"']+)["'];/gm

/** Returns the text of a source: our own by its path in this package, others by npm module path. */
export function readSource(name: string): string {
  const url = name.startsWith('contracts/')
    ? new URL(`../${name}`, import.meta.url).href
    : import.meta.resolve(name)
  return readFileSync(fileURLToPath(url), 'utf8')
}

/** Returns the compiler's standard-JSON input of FareboxVault: its sources with all that they import, and the settings. */
export function vaultStandardJson() {
  const sources: Record<string, { content: string }> = {}
  const waiting = ['contracts/FareboxVault.sol']
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (sources[name] !== undefined) continue
    const content = readSource(name)
    sources[name] = { content }
    for (const [, path = ''] of content.matchAll(IMPORT))
      waiting.push(path.startsWith('.') ? posix.join(posix.dirname(name), path) : path)
  }
  return { language: 'Solidity', sources, settings: compilerSettings } as const
}
