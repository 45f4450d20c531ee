import { defineConfig } from 'vitest/config'
import { testFiles } from './scripts/test-files.ts'
import { ProgressReporter } from './scripts/test-progress.ts'

const { quick, parts } = testFiles()

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    pool: 'forks',
    // Tests on real parts wait a third of their time: with two workers, two cores are idle so long.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second would be for machines that do nothing else.
    expect: { poll: { timeout: 20_000 } },
    reporters: [new ProgressReporter()],
    projects: [
      // Run in the order of their names: the long files first.
      {
        extends: true,
        test: { name: 'parts', include: parts, globalSetup: ['apps/gateway/test/global-setup.ts'] },
      },
      // They keep nothing between files that another would see: a process of its own for each is half of their time.
      { extends: true, test: { name: 'quick', include: quick, isolate: false } },
    ],
  },
})
