import rxjs from 'eslint-plugin-rxjs-x'
import tseslint from 'typescript-eslint'

const realTime = ['setTimeout', 'setInterval'].map((name) => ({
  name,
  message: 'All time in the library is Rx time: use the scheduler, so that it is virtual under marbles.',
}))

const esmSpelling = [
  { regex: '^fp-ts/(?!lib/.*\\.js$)', message: "Plain Node resolves 'fp-ts/lib/<Module>.js' only." },
  { regex: '^io-ts/(?!lib/.*\\.js$)', message: "Plain Node resolves 'io-ts/lib/<Module>.js' only." },
]

const rxInternals = {
  regex: '^rxjs/internal/(?!testing/)',
  message: "RxJS's internals are imported by src/base/time/clock.ts alone.",
}

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'docs/site', 'node_modules'] },
  { files: ['**/*.{ts,js,cjs}'], extends: [tseslint.configs.base] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { 'rxjs-x': rxjs },
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A fifth of the time of all rules. There are no enums, and classes have private fields.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-restricted-imports': ['error', { patterns: [...esmSpelling, rxInternals] }],
      'rxjs-x/finnish': [
        'error',
        {
          functions: true,
          methods: true,
          parameters: true,
          properties: true,
          variables: true,
          strict: false,
        },
      ],
      'rxjs-x/no-exposed-subjects': 'error',
      'rxjs-x/no-nested-subscribe': 'error',
      'rxjs-x/no-floating-observables': 'error',
      'rxjs-x/no-unbound-methods': 'error',
      'rxjs-x/no-unsafe-takeuntil': ['error', { allow: ['share', 'repeat'] }],
    },
  },
  {
    files: ['src/{base/{task,time},wire/{http,socket},client,operators}/**'],
    rules: {
      'no-restricted-globals': ['error', ...realTime],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take the time from time/clock.ts.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.name='shareReplay']",
          message: 'Spell sharing out: share({ connector, resetOn… }).',
        },
      ],
    },
  },
  {
    files: ['{src,test}/dashboard/page/**/*.ts', 'examples/store/vanilla/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.page.json' } },
    rules: {
      // The types of Node are there for the files that the page imports.
      'no-restricted-globals': ['error', ...realTime, 'process', 'Buffer', 'setImmediate', 'global'],
    },
  },
  {
    // OpenTelemetry names its instruments `Observable` too.
    files: ['src/opentelemetry/**'],
    rules: { 'rxjs-x/finnish': 'off' },
  },
  {
    files: ['src/base/time/clock.ts', 'test/support/time/virtual-time.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: esmSpelling }] },
  },
  {
    files: ['test/**', 'bench/**', 'examples/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      'rxjs-x/finnish': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[object.name=/^(it|test|describe)/][property.name=/^(skip|skipIf|runIf|only|todo)$/]',
          message: 'Skip by test/support/run/skip.ts, with a reason.',
        },
        {
          selector:
            "CallExpression[callee.property.name='toContain'] > CallExpression[callee.object.name='expect']",
          message:
            '`toContain` compares by identity. Use `toContainEqual`, or `toContain` of the joined text.',
        },
      ],
    },
  },
  {
    files: ['examples/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] },
      ],
    },
  },
)
