import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'

export default {
  input: 'server/main.mjs',
  output: { dir: 'out/server-rollup', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  plugins: [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), json()],
}
