import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
/** Stands for what is not known before it runs. */
const HOLE = '…';

/** Functions whose first argument names a work in a diagnostic line. */
const WORKS = ['guarded', 'tellFault'];
/** Functions whose first argument is a line: those of ours that pass it on, and where it leaves the process. */
const LINES = ['tellForDebugging', 'tellOfOption', 'tell'];
/** Classes whose constructor's first argument names one. */
const WATCHES = ['ChannelSubscriptions', 'UndiciWatch'];
const WAYS_OUT = /^(?:diag\.(?:error|warn|info|debug|verbose)|console\.\w+|process\.(?:emitWarning|std\w+\.write))$/;

/** What a file of `src/` can say, values as `…`. */
export interface Message {
  readonly path: string;
  readonly sort: 'work' | 'line';
  readonly text: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('command/'))
  .map((path) => join(SRC, path));
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: ['node'],
});
const checker = program.getTypeChecker();

function declarationOf(node: ts.Identifier): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  const meant = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return meant?.valueDeclaration;
}

/** What an expression comes to, as far as its text tells. */
function textOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => textOf(expression) + literal.text);
    return node.head.text + spans.join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return textOf(node.left) + textOf(node.right);
  }
  if (ts.isIdentifier(node)) {
    const declared = declarationOf(node);
    const value = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
    return value === undefined ? HOLE : textOf(value);
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const declared = declarationOf(node.expression);
    const last = declared && ts.isFunctionDeclaration(declared) ? declared.body?.statements.at(-1) : undefined;
    const made = last && ts.isReturnStatement(last) ? last.expression : undefined;
    const text = made === undefined ? HOLE : textOf(made);
    // One of ours that makes a sentence; of one that shows a value nothing is known.
    return /[a-z] [a-z]/.test(text) ? text : HOLE;
  }
  return HOLE;
}

function sortOf(call: ts.CallExpression | ts.NewExpression): Message['sort'] | undefined {
  const callee = call.expression.getText();
  if (ts.isNewExpression(call)) return WATCHES.includes(callee) ? 'work' : undefined;
  if (WORKS.includes(callee)) return 'work';
  if (LINES.includes(callee) || WAYS_OUT.test(callee)) return 'line';
  if (call.expression.kind !== ts.SyntaxKind.SuperKeyword) return undefined;
  const holder = ts.findAncestor(call, ts.isClassDeclaration);
  const ofWatch = WATCHES.map((name) => `extends ${name}`);
  const isWatch = holder?.heritageClauses?.some((clause) => ofWatch.includes(clause.getText()));
  return isWatch === true ? 'work' : undefined;
}

function messagesIn(file: ts.SourceFile): Message[] {
  const path = relative(SRC, file.fileName);
  const found: Message[] = [];
  const visit = (node: ts.Node): void => {
    const call = ts.isCallExpression(node) || ts.isNewExpression(node) ? node : undefined;
    const [argument] = call?.arguments ?? [];
    const sort = call && sortOf(call);
    if (argument !== undefined && sort !== undefined) found.push({ path, sort, text: withoutName(textOf(argument)) });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function withoutName(line: string): string {
  return line.replace(/^(?:…|opentelemetry-instrumentation-nemo-gym): /, '');
}

const own = program.getSourceFiles().filter(({ fileName }) => files.includes(fileName));

/** All that `src/` can say of itself, the command aside. */
export const messages: readonly Message[] = own.flatMap(messagesIn);

/** The members of an object literal that is declared under that name, each a text. */
export function textsOf(path: string, name: string): readonly (readonly [key: string, text: string])[] {
  const file = own.find(({ fileName }) => fileName === join(SRC, path));
  const declared = file?.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText() === name);
  if (declared?.initializer === undefined || !ts.isObjectLiteralExpression(declared.initializer)) return [];
  return declared.initializer.properties
    .filter(ts.isPropertyAssignment)
    .map(({ name: key, initializer }) => [ts.isStringLiteral(key) ? key.text : key.getText(), textOf(initializer)]);
}
