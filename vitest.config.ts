import { defineConfig } from 'vitest/config'
import { testFiles } from './scripts/test-files.ts'
import { LongFilesFirst } from './scripts/test-order.ts'
import { ProgressReporter } from './scripts/test-progress.ts'

const { quick, parts } = testFiles()

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: [
    {
      // Vitest would have Node resolve packages by the condition `development`, by which some name sources it cannot run.
      name: 'packages-as-in-production',
      configResolved({ ssr }) {
        if (ssr.resolve !== undefined) ssr.resolve.conditions = []
      },
    },
  ],
  test: {
    pool: 'forks',
    // Node runs the sources of the tests as it runs those of the gateway.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests on real parts wait for half of their time: with two workers, two cores are idle so long.
    maxWorkers: 5,
    sequence: { sequencer: LongFilesFirst },
    // No module keeps anything that a test of another file would see, and to load a gateway takes as long as most files
    // need for their tests.
    isolate: false,
    // Some start a gateway, a chain and a market, which takes half a minute on a machine that is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second would be for machines that do nothing else.
    expect: { poll: { timeout: 20_000 } },
    // Two tabs that sign out both tell the phone of the tests, whose library rejects the second where nobody can catch it.
    onUnhandledError: ({ message, stack = '' }) =>
      !(stack.includes('@walletconnect') && message.includes('Record was recently deleted')),
    setupFiles: ['scripts/test-seed.ts'],
    reporters: [new ProgressReporter()],
    projects: [
      // Run in the order of their names: the long files first.
      {
        extends: true,
        test: {
          name: 'parts',
          include: parts,
          globalSetup: [
            'apps/gateway/test/kit/database/global-setup.ts',
            'apps/console/test/kit/unpack-browser.ts',
            'packages/cli/test/kit/build-folder.ts',
          ],
        },
      },
      { extends: true, test: { name: 'quick', include: quick } },
    ],
  },
})
