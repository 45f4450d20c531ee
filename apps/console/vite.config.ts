import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The gateway that `vite` asks while pages are being made: `npm start` in another shell. */
const GATEWAY = 'http://127.0.0.1:8402'
const PATHS_OF_THE_GATEWAY = [
  ...[
    '/api',
    '/v1',
    '/dev',
    '/mcp',
    '/docs',
    '/openapi.json',
    '/marketplace',
    '/console',
    '/health',
    '/ready',
  ],
]

// biome-ignore lint/style/noDefaultExport: vite reads the default export
export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2024',
    // Icons and pictures are files: the policy of the page lets nothing else be a script or a style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: Object.fromEntries(PATHS_OF_THE_GATEWAY.map(path => [`^${path}(/|$)`, GATEWAY])) },
})
