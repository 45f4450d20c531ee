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

/** Modules without a large dependency that pages share. */
const PARTS = [
  /\/src\/ui\/(?:[a-z]+\/)?(?!dialog|rotate|menu|select|table|tabs|chart-|service-snippets|payload|example|download-csv|csv-pages|record-sheet|ask-before)[^/]+$/,
  /\/src\/(?:session\/(?:session-store|sign-in)|wallet\/(?:errors|use-wallet))\.ts$/,
  /\/lucide-react\/|\/useMutation\.js$/,
]
/** Menus, lists of choices and tabs, with the library beneath them. */
const MENUS = /\/@(?:radix|floating)-ui\/|\/src\/ui\/(?:[a-z]+\/)?(?:menu|select|tabs)\.tsx$/
/** Without what the modules import: other pages need some of that too. */
const ALONE = { includeDependenciesRecursively: false } as const
/** Small modules that pages of one area share. */
const SMALL = { minShareCount: 2, maxModuleSize: 5_000, ...ALONE } as const

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
        // Few chunks, as each costs a round trip: the code of every page, small modules that many pages share, menus, and
        // what pages of owners and those of providers share. Everything else is split by page. What runs before them imports
        // none of them.
        codeSplitting: {
          groups: [
            {
              name: 'fetch',
              test: /vite\/preload-helper|\/src\/early-requests|\/stored-session|\/safe-storage/,
              priority: 3,
            },
            { name: 'console', test: /\/src\/begin\.tsx$/, priority: 2 },
            { name: 'parts', test: id => PARTS.some(part => part.test(id)), minShareCount: 3, priority: 1 },
            { name: 'icons', test: /\/lucide-react\//, minShareCount: 2 },
            { name: 'menus', test: MENUS, minShareCount: 4, ...ALONE },
            { name: 'owner', test: /\/features\/owner\/|\/dialogs\/record-sheet/, ...SMALL },
            { name: 'provider', test: /\/features\/provider\//, ...SMALL },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
  server: { proxy: Object.fromEntries(PATHS_OF_THE_GATEWAY.map(path => [`^${path}(/|$)`, GATEWAY])) },
})
