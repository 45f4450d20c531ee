import { runCalls } from './contestants/calls.ts'
import type { Part } from './options.ts'
import type { RunPart } from './part.ts'
import { runFirstByte } from './parts/first-byte.ts'
import { runHostile } from './parts/hostile.ts'
import { runLife } from './parts/long-life.ts'
import { runMemory } from './parts/memory.ts'
import { runRest } from './parts/rest.ts'
import { runSeveral } from './parts/several.ts'

/** Everything that the bench measures, in the order in which it does, by the parts that ask for it. */
export const RUNNERS: readonly { readonly parts: readonly Part[]; readonly run: RunPart }[] = [
  { parts: ['core'], run: runCalls },
  { parts: ['several'], run: runSeveral },
  { parts: ['first-byte'], run: runFirstByte },
  { parts: ['life'], run: runLife },
  { parts: ['hostile'], run: runHostile },
  { parts: ['rest'], run: runRest },
  { parts: ['memory'], run: runMemory },
]
