import { defineConfig } from 'vitest/config'
import { AREAS } from './areas.ts'

// The tests of one area, or those of all: `vitest run --config lab/mutation/vitest.config.ts`. None needs a database.
const chosen = AREAS.filter(area => (process.env.MUTATION_AREA ?? area.name) === area.name)

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    include: chosen.flatMap(area => area.tests),
    setupFiles: ['scripts/test-seed.ts'],
    // Longer than Stryker waits: how long a mutant may take is its affair, which knows how long the tests took before.
    testTimeout: 120_000,
  },
})
