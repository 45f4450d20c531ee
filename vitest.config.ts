import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: ['{packages,apps,bench,chaos}/**/*.test.ts'],
    globalSetup: ['apps/gateway/test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second would be for machines that do nothing else.
    expect: { poll: { timeout: 20_000 } },
  },
})
