import * as vscode from 'vscode';

/**
 * The page that the Room's script fills. Nothing may be loaded or sent but our own script and styles: no picture, no
 * link and no request that a model's text could bring in (A19, A21).
 */
export function roomPage(webview: vscode.Webview, dist: vscode.Uri, nonce: string): string {
  const script = (name: string) => {
    const address = webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    return `<script nonce="${nonce}" src="${address}"></script>`;
  };
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Teamroom</title>
<style>html, body { height: 100%; margin: 0; padding: 0; }</style>
</head>
<body>
${script('webview.js')}
${script('markdown.js')}
</body>
</html>`;
}
