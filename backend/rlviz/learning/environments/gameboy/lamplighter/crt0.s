;; Start of the cartridge: vectors, header, and the few routines that C cannot say well.
	.module crt0
	.globl	_main

	.area	_HEADER (ABS)

	.org	0x40			; vertical blank
	jp	vblank_handler
	.org	0x100
	nop
	jp	start

	.org	0x150
start:
	di
	ld	sp, #0xDEFF
	;; Clear the work RAM below the stack, so that a game begins the same after every reset.
	ld	hl, #0xC000
	ld	bc, #0x1EF0
clear:
	xor	a
	ld	(hl+), a
	dec	bc
	ld	a, b
	or	c
	jr	nz, clear
	;; The copy of sprites runs in high RAM, because the bus is busy meanwhile.
	ld	hl, #copy_sprites
	ld	de, #0xFF80
	ld	b, #copy_sprites_end - copy_sprites
install:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, install
	call	_main
hang:
	halt
	nop
	jr	hang

copy_sprites:
	ld	a, #0xDF
	ldh	(0x46), a
	ld	a, #40
1$:
	dec	a
	jr	nz, 1$
	ret
copy_sprites_end:

vblank_handler:
	push	af
	ld	a, #1
	ld	(_is_blank), a
	pop	af
	reti

	;; Order of the areas for the linker.
	.area	_HOME
	.area	_CODE
	.area	_INITIALIZER
	.area	_GSINIT
	.area	_GSFINAL
	.area	_DATA
	.area	_INITIALIZED
	.area	_BSS
	.area	_HEAP

	.area	_DATA
_is_blank::
	.ds	1

	.area	_CODE
;; void wait_for_blank(void): sleep until the picture is drawn.
_wait_for_blank::
	ld	a, (_is_blank)
	or	a
	jr	nz, 2$
	halt
	nop
	jr	_wait_for_blank
2$:
	xor	a
	ld	(_is_blank), a
	ret

;; void show_sprites(void)
_show_sprites::
	jp	0xFF80
