import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { guides } from './scripts/guides.ts'

/** The gateway that the development server proxies to: run `npm start` in another shell. */
const GATEWAY = 'http://127.0.0.1:8402'
const PATHS_OF_THE_GATEWAY = [
  '/api',
  '/v1',
  '/dev',
  '/mcp',
  '/oauth',
  '/docs/reference/interactive',
  '/docs/reference.js',
  '/openapi.json',
  '/marketplace',
  '/console',
  '/health',
  '/ready',
]

/** Components without a large dependency. */
const SMALL_PARTS = /\/src\/ui\/(?:[a-z]+\/)?(?!dialog|menu|select|table|tabs|chart)[^/]+$/

// biome-ignore lint/style/noDefaultExport: vite reads the default export
export default defineConfig({
  plugins: [react(), tailwindcss(), guides()],
  build: {
    target: 'es2024',
    // The content security policy allows scripts and styles only as files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few chunks: the code of every page, and small components that many pages share. Everything else is split by
        // page. The preload helper imports none of them.
        codeSplitting: {
          groups: [
            { name: 'fetch', test: /vite\/preload-helper/, priority: 3 },
            { name: 'console', test: /\/src\/begin\.tsx$/, priority: 2 },
            { name: 'parts', test: SMALL_PARTS, minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
  server: { proxy: Object.fromEntries(PATHS_OF_THE_GATEWAY.map(path => [`^${path}(/|$)`, GATEWAY])) },
})
