import { svelte } from '@sveltejs/vite-plugin-svelte'
import react from '@vitejs/plugin-react'

export default {
  plugins: [react(), svelte()],
  build: { ssr: true, rollupOptions: { input: ['store/render/react.tsx', 'store/render/svelte.js'] } },
}
