@echo off
node "%~dp0..\main.js" %*
