import { join, normalize } from 'node:path';
import ts from 'typescript';

/**
 * Each name that the package exports, with its signature as the built `.d.ts` has it, comments left out; and each type
 * that such a signature needs but that has no public name, under the public names that need it.
 */
export function exportedNames(exports, read) {
  const files = new Map();
  const paths = Object.entries(exports).filter(([, to]) => to.types !== undefined);
  const named = paths.flatMap(([path, { types }]) => {
    const { declared, exported } = fileOf(normalize(types), read, files);
    return [...exported].map(([name, local]) => ({ path, name, declaration: declared.get(local) ?? ELSEWHERE }));
  });
  return [
    ...named.map(({ path, name, declaration }) => ({
      title: `export ${name} of ${path}`,
      text: declaration.text,
      names: [name],
    })),
    ...unnamed([...files.values()], named),
  ];
}

/** What another package declares: its name is all that we have of it. */
const ELSEWHERE = { text: 'of another package', needs: new Set() };

function unnamed(files, named) {
  const withName = new Set(named.map(({ declaration }) => declaration));
  const hidden = new Map();
  for (const [name, declaration] of files.flatMap(({ declared }) => [...declared])) {
    if (withName.has(declaration) || declaration === ELSEWHERE) continue;
    hidden.set(name, (hidden.get(name) ?? new Set()).add(declaration));
  }
  return [...hidden].flatMap(([name, declarations]) => {
    const users = publicNamesThatNeed(name, named, hidden);
    const text = [...new Set([...declarations].map((declaration) => declaration.text))].sort().join('\n');
    return users.length === 0 ? [] : [{ title: `unnamed ${name}`, text, names: [name, ...users] }];
  });
}

function publicNamesThatNeed(name, named, hidden) {
  const found = new Set();
  const needed = new Set([name]);
  for (const one of needed) {
    for (const { name: user, declaration } of named) if (declaration.needs.has(one)) found.add(user);
    for (const [user, declarations] of hidden)
      if ([...declarations].some(({ needs }) => needs.has(one))) needed.add(user);
  }
  return [...found].sort();
}

/** A built file's declarations, and its exports as the names that they have inside. */
function fileOf(path, read, files) {
  const known = files.get(path);
  if (known !== undefined) return known;
  const found = { declared: new Map(), exported: new Map() };
  files.set(path, found);
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const printer = ts.createPrinter({ removeComments: true });
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) takeImports(statement, { path, read, files, declared: found.declared });
    else if (ts.isExportDeclaration(statement)) takeExports(statement, found.exported);
    else {
      const shown = publicPart(statement);
      takeDeclaration(shown, printer.printNode(ts.EmitHint.Unspecified, shown, file), found.declared);
    }
  }
  return found;
}

function takeImports({ moduleSpecifier, importClause }, { path, read, files, declared }) {
  const from = moduleSpecifier.text;
  const isOwn = from.startsWith('.');
  const theirs = isOwn ? fileOf(join(path, '..', from.replace(/\.js$/, '.d.ts')), read, files) : undefined;
  for (const { name, propertyName } of importClause?.namedBindings?.elements ?? []) {
    const inside = theirs?.exported.get((propertyName ?? name).text);
    declared.set(name.text, theirs?.declared.get(inside) ?? ELSEWHERE);
  }
}

function takeExports({ exportClause }, exported) {
  for (const { name, propertyName } of exportClause?.elements ?? [])
    exported.set(name.text, (propertyName ?? name).text);
}

/** A class or an interface as its users see it: without what is private or marked `@internal`, and what it implements. */
function publicPart(node) {
  const { modifiers, name, typeParameters, heritageClauses } = node;
  if (ts.isInterfaceDeclaration(node)) {
    const members = node.members.filter(isPublic);
    return ts.factory.updateInterfaceDeclaration(node, modifiers, name, typeParameters, heritageClauses, members);
  }
  if (!ts.isClassDeclaration(node)) return node;
  const bases = heritageClauses?.filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const members = node.members.filter(isPublic);
  return ts.factory.updateClassDeclaration(node, modifiers, name, typeParameters, bases, members);
}

function isPublic(member) {
  const isPrivate = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0;
  const hasPrivateName = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal');
  return !isPrivate && !hasPrivateName && !isInternal;
}

/** Overloads, and an interface beside a class of its name, are one declaration. */
function takeDeclaration(statement, text, declared) {
  const names = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name.text)
    : [statement.name?.text].filter((name) => name !== undefined);
  const needs = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node)) needs.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  for (const name of names) {
    const before = declared.get(name);
    declared.set(name, {
      text: before === undefined ? text : `${before.text}\n${text}`,
      needs: new Set([...(before?.needs ?? []), ...needs]),
    });
  }
}
