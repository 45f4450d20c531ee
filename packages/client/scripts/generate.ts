import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeOperations } from './describe-operations.ts'

// Writes src/schema.gen.ts: the types of every operation, made of the contract. `npm run contract` runs it.
const CONTRACT = join(import.meta.dirname, '../../../apps/gateway/openapi.json')
const TARGET = join(import.meta.dirname, '../src/schema.gen.ts')

await writeFile(TARGET, await describeOperations(await readFile(CONTRACT, 'utf8')))
