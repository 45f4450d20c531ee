import { defineConfig } from 'rolldown'

// One program without dependencies: everything is bundled, as all packages are development dependencies.
// biome-ignore lint/style/noDefaultExport: rolldown reads the default export
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  transform: { target: 'node20' },
  output: { dir: 'dist', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true },
})
