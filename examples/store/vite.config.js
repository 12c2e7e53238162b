import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// A project needs the plugin of its own framework only.
const pages = ['react', 'svelte', 'vanilla'].map((name) =>
  fileURLToPath(new URL(`${name}/index.html`, import.meta.url)),
)

export default defineConfig({
  plugins: [react(), svelte()],
  build: { rollupOptions: { input: pages } },
})
