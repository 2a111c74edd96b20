import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Something that a source file imports or re-exports. */
export interface Import {
  readonly from: string;
  /** Only of types: nothing of it is there at run time. */
  readonly typeOnly: boolean;
}

export interface Source {
  /** Path below `src/`. */
  readonly path: string;
  /** Its folder directly below `src/`; empty on the roof. */
  readonly room: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Every text, piece of a template, pattern and number in the code, comments left out. */
  readonly literals: readonly string[];
}

function typeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((name) => name.isTypeOnly)
  );
}

function read(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      if (ts.isStringLiteral(node.moduleSpecifier))
        imports.push({ from: node.moduleSpecifier.text, typeOnly: typeOnly(node) });
      return;
    }
    const [argument] = ts.isCallExpression(node) ? node.arguments : [];
    if (ts.isCallExpression(node) && argument !== undefined && ts.isStringLiteralLike(argument)) {
      const callee = node.expression.getText(file);
      if (callee === 'import' || /(^|\.)(require|getBuiltinModule)$/.test(callee))
        imports.push({ from: argument.text, typeOnly: false });
    }
    if (
      ts.isLiteralExpression(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      node.kind === ts.SyntaxKind.TemplateHead
    ) {
      if ('text' in node && typeof node.text === 'string') literals.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const below = relative(SRC, path);
  return {
    path: below,
    room: firstFolder(below),
    lines: text.trimEnd().split('\n').length,
    imports,
    literals,
  };
}

function firstFolder(path: string): string {
  const [folder = '', ...below] = path.split('/');
  return below.length > 0 ? folder : '';
}

/** All of `src/`. */
export const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => read(join(SRC, path)));

/** Path from `src/` of the file that an import leads to. */
export function targetOf(source: Source, { from }: Import): string {
  return relative(SRC, resolve(SRC, dirname(source.path), from));
}

/** The folder of `src/` that an import leads to; `undefined` when it leads out of the package. */
export function roomOf(source: Source, imported: Import): string | undefined {
  if (!imported.from.startsWith('.')) return undefined;
  const path = targetOf(source, imported);
  return firstFolder(path);
}
